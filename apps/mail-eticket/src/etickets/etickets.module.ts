import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { EticketsController } from './etickets.controller.js';
import { SendEticketService } from './send-eticket.service.js';

@Module({})
export class EticketsModule {
  static forRoot(sendEticket: SendEticketService): DynamicModule {
    return {
      module: EticketsModule,
      controllers: [EticketsController],
      providers: [{ provide: SendEticketService, useValue: sendEticket }],
    };
  }
}
