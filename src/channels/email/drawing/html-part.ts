/**
 * A mail as HTML: readable on a phone, in light and in dark. It sets no colours but the pair of its one button, loads nothing and runs
 * nothing. Every text is escaped.
 */
import type { MailContent } from './content.js';
import { looksLikeMarker } from './markers.js';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const font =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5";
const block = 'margin:0 0 16px;overflow-wrap:anywhere';
const quiet = 'font-size:14px;opacity:0.8';
const button =
  'display:inline-block;padding:12px 20px;border-radius:8px;background-color:#1a56b0;color:#ffffff;font-weight:600;text-decoration:none';

export function htmlPart(
  content: MailContent,
  { title, locale }: { title: string; locale: string | undefined },
): string {
  const language = locale !== undefined && /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(locale) ? ` lang="${locale}"` : '';
  return [
    `<!doctype html>\n<html${language}>\n<head>`,
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="supported-color-schemes" content="light dark">',
    `<title>${escaped(title)}</title>`,
    '<style>:root { color-scheme: light dark; supported-color-schemes: light dark; }</style>',
    '</head>',
    `<body style="margin:0;padding:16px"><div style="max-width:600px;margin:0 auto;${font}">`,
    ...bodyOf(content),
    '</div></body>\n</html>\n',
  ].join('\n');
}

function bodyOf({ marker, text, details, options, isNumbered, notes, link }: MailContent): readonly string[] {
  const list = isNumbered ? 'ol' : 'ul';
  const rows = details.map(
    ([name, value]) =>
      `<tr><th scope="row" dir="auto" style="padding:2px 16px 2px 0;text-align:start;overflow-wrap:break-word;vertical-align:top;font-weight:600">${line(name)}</th><td dir="auto" style="padding:2px 0;vertical-align:top;overflow-wrap:anywhere">${line(value)}</td></tr>`,
  );
  const items = options.map((label) => `<li dir="auto">${line(label)}</li>`);
  return [
    ...(marker === undefined ? [] : [paragraph(escaped(marker), `${block};${quiet}`)]),
    ...text.split(/\n\s*\n/).map((each) => paragraph(each.split('\n').map(line).join('<br>\n'))),
    ...(rows.length === 0 ? [] : [`<table style="${block};border-spacing:0;${font}">`, ...rows, '</table>']),
    ...(items.length === 0 ? [] : [`<${list} style="${block};padding-left:28px">`, ...items, `</${list}>`]),
    ...notes.map((note) => paragraph(line(note))),
    ...(link === undefined ? [] : linkOf(link)),
  ];
}

function linkOf({ url, label, before, after }: NonNullable<MailContent['link']>): readonly string[] {
  const address = escaped(url);
  return [
    ...(before === '' ? [] : [paragraph(line(before))]),
    `<p style="${block}"><a href="${address}" style="${button}">${line(label)}</a></p>`,
    `<p style="${block};${quiet}">${address}</p>`,
    ...(after === '' ? [] : [paragraph(line(after), `${block};${quiet}`)]),
  ];
}

function paragraph(html: string, style = block): string {
  return `<p dir="auto" style="${style}">${html}</p>`;
}

/** A line that could be taken for the marker is none. */
function line(text: string): string {
  return escaped(looksLikeMarker(text) ? `· ${text}` : text);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] as string);
}
