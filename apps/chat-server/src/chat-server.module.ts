import { type DynamicModule, Module } from '@nestjs/common';
import { OperationsModule } from '@eticket/service';
import type { ReadinessCheck, ServiceMetrics } from '@eticket/service';
import { DocsController } from './docs/docs.controller.js';
import { RoomController } from './room/room.controller.js';
import { RoomService } from './room/room.service.js';
import { HEARTBEAT_MS } from './tokens.js';

/** What the module needs from outside. */
export interface ChatServerParts {
  readonly room: RoomService;
  readonly heartbeatMs: number;
  readonly metrics: ServiceMetrics;
  readonly readiness: readonly ReadinessCheck[];
}

/** The HTTP side of the room. */
@Module({})
export class ChatServerModule {
  static with({ room, heartbeatMs, metrics, readiness }: ChatServerParts): DynamicModule {
    return {
      module: ChatServerModule,
      imports: [OperationsModule.forRoot({ metrics, readiness })],
      controllers: [RoomController, DocsController],
      providers: [
        { provide: RoomService, useValue: room },
        { provide: HEARTBEAT_MS, useValue: heartbeatMs },
      ],
    };
  }
}
