/** The only way in which this page makes the URL of a script: its own two, where browsers have Trusted Types. */

interface Policy { createScriptURL(url: string): unknown }

declare global {
  interface Window {
    trustedTypes?: { createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy };
  }
}

function check(url: string): string {
  if (!/^(worker-[0-9a-f]+|service-worker)\.js$/.test(url)) throw new TypeError("This is not a script of the page.");
  return url;
}

const policy: Policy = window.trustedTypes?.createPolicy("polyseal", { createScriptURL: check }) ?? { createScriptURL: check };

export const scriptUrl = (url: string): unknown => policy.createScriptURL(url);
