/** The bytes at an address. */
export async function bytesOf(url: URL): Promise<BufferSource> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}
