import { Body, Controller, Get, Headers, HttpCode, Inject, Ip, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../problems/api-problems.decorator.js';
import { HEARTBEAT_MS } from '../tokens.js';
import { JoinedResponse, MembersResponse, MessageDto, PublishedResponse, UserDto } from './room.dto.js';
import { RoomService } from './room.service.js';
import { sessionOfHeader } from './room-token.js';

const BODY_PROBLEMS = ['unreadable_json', 'payload_too_large', 'unsupported_media_type', 'validation_error'] as const;
const TOKEN_PROBLEMS = ['token_required', 'token_unknown', 'room_unavailable'] as const;

// #region room-controller
/** What is done here is durable on the room's topic when it is answered. */
@ApiTags('room')
@Controller()
export class RoomController {
  constructor(
    private readonly room: RoomService,
    @Inject(HEARTBEAT_MS) private readonly heartbeatMs: number,
  ) {}

  @Post('join')
  @ApiCreatedResponse({ type: JoinedResponse })
  @ApiProblems(...BODY_PROBLEMS, 'username_taken', 'room_full', 'too_many_requests', 'room_unavailable')
  async join(@Body() { username }: UserDto, @Ip() address: string): Promise<JoinedResponse> {
    return { data: { ...(await this.room.join(username, address)), heartbeatMs: this.heartbeatMs } };
  }

  @Post('publish')
  @ApiBearerAuth()
  @ApiCreatedResponse({ type: PublishedResponse })
  @ApiProblems(...BODY_PROBLEMS, ...TOKEN_PROBLEMS, 'wrong_user', 'too_many_requests')
  async publish(
    @Body() { username, message, id }: MessageDto,
    @Headers('authorization') authorization?: string,
  ): Promise<PublishedResponse> {
    return { data: { id: await this.room.say(sessionOfHeader(authorization), username, message, id) } };
  }

  @Post('leave')
  @HttpCode(204)
  @ApiBearerAuth()
  @ApiNoContentResponse()
  @ApiProblems(...BODY_PROBLEMS, ...TOKEN_PROBLEMS, 'wrong_user')
  async leave(@Body() { username }: UserDto, @Headers('authorization') authorization?: string): Promise<void> {
    await this.room.leave(sessionOfHeader(authorization), username);
  }
  // #endregion

  @Post('heartbeat')
  @HttpCode(204)
  @ApiBearerAuth()
  @ApiNoContentResponse()
  @ApiProblems(...TOKEN_PROBLEMS)
  async heartbeat(@Headers('authorization') authorization?: string): Promise<void> {
    await this.room.heartbeat(sessionOfHeader(authorization));
  }

  @Get('who')
  @ApiBearerAuth()
  @ApiOkResponse({ type: MembersResponse })
  @ApiProblems(...TOKEN_PROBLEMS)
  async who(@Headers('authorization') authorization?: string): Promise<MembersResponse> {
    const members = await this.room.who(sessionOfHeader(authorization));
    const users = members.map(({ username, since }) => ({ username, since: since.toISOString() }));
    return { data: { users } };
  }
}
