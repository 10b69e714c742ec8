import { checkMessageText, checkUsername, NAME_MAX, TEXT_MAX } from '@eticket/chat-room';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { IsOptional, IsUUID } from 'class-validator';
import { TextRule } from '../problems/validation.js';

/** One text has one spelling: é is one code point, not two. */
const Normalised = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams): unknown => (typeof value === 'string' ? value.normalize('NFC') : value));

export class UserDto {
  @ApiProperty({
    description: `1 to ${NAME_MAX} visible characters; upper and lower case make no difference.`,
    example: 'ana',
  })
  @Normalised()
  @TextRule('invalid_username', checkUsername)
  readonly username!: string;
}

export class MessageDto extends UserDto {
  @ApiProperty({
    description: 'No control characters.',
    minLength: 1,
    maxLength: TEXT_MAX,
    example: 'Hello, everyone!',
  })
  @TextRule('invalid_message', checkMessageText)
  readonly message!: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'A call that is repeated under the same id is the same message: readers show it once.',
  })
  @IsOptional()
  @IsUUID('all', { message: 'must be a UUID' })
  readonly id?: string;
}

export class JoinedDto {
  @ApiProperty({ example: 'ana' })
  readonly username!: string;

  @ApiProperty({ description: 'For `Authorization: Bearer …` of all other calls, until the leave.' })
  readonly token!: string;

  @ApiProperty({ description: 'Send a heartbeat this often; after four without one you are gone.', example: 7500 })
  readonly heartbeatMs!: number;
}

export class JoinedResponse {
  @ApiProperty()
  readonly data!: JoinedDto;
}

export class PublishedDto {
  @ApiProperty({ format: 'uuid', description: 'Of the message.' })
  readonly id!: string;
}

export class PublishedResponse {
  @ApiProperty()
  readonly data!: PublishedDto;
}

export class MemberDto {
  @ApiProperty({ example: 'ana' })
  readonly username!: string;

  @ApiProperty({ format: 'date-time' })
  readonly since!: string;
}

export class MembersDto {
  @ApiProperty({ type: [MemberDto], description: 'Those who came first, first.' })
  readonly users!: readonly MemberDto[];
}

export class MembersResponse {
  @ApiProperty()
  readonly data!: MembersDto;
}
