// Makes the container `bucket` of Azurite's account, whose key everybody knows: node -e THIS PORT.
const crypto = require("crypto"), http = require("http"), [port] = process.argv.slice(1);
const account = "devstoreaccount1", version = "2021-08-06", date = new Date().toUTCString();
const key = Buffer.from(
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    "base64",
);
const text = `PUT${"\n".repeat(12)}x-ms-date:${date}\nx-ms-version:${version}\n` +
    `/${account}/${account}/bucket\nrestype:container`;
const signature = crypto.createHmac("sha256", key).update(text).digest("base64");
const headers = {
    "x-ms-date": date,
    "x-ms-version": version,
    "Content-Length": 0,
    Authorization: `SharedKey ${account}:${signature}`,
};
const path = `/${account}/bucket?restype=container`;
http.request({ port, host: "127.0.0.1", method: "PUT", path, headers }, answer =>
    process.exit(answer.statusCode == 201 ? 0 : 1)
).end();
