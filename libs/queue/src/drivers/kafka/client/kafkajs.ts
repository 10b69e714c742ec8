/** kafkajs is CommonJS whose names Node cannot see from outside: its values come through its default. */
import kafkajs from 'kafkajs';

export const {
  AssignerProtocol,
  CompressionCodecs,
  CompressionTypes,
  ConfigResourceTypes,
  Kafka,
  Partitioners,
  logLevel,
} = kafkajs;
