import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Ackline } from 'ackline';
import { QueueServer } from 'ackline/nest';
import { ShopModule } from './shop.module.js';

const app = await NestFactory.create<NestFastifyApplication>(ShopModule, new FastifyAdapter());
const strategy = new QueueServer({ ackline: app.get(Ackline), group: 'receipts' });
app.connectMicroservice({ strategy }, { inheritAppConfig: true });
app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true });
await app.startAllMicroservices();
await app.listen(Number(process.env.PORT ?? 3100), '127.0.0.1');
process.stdout.write(`The shop is open at ${await app.getUrl()}\n`);
