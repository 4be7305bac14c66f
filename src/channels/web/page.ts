/**
 * The chat's own page: the script on an empty page. Nothing on it is inline, so its content security policy allows nothing inline.
 */

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function chatPage(title: string): Response {
  const escaped = title.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped}</title>
<script src="chat.js" defer data-page data-title="${escaped}"></script>
</head>
<body><noscript>This chat needs JavaScript.</noscript></body>
</html>
`;
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
  });
}
