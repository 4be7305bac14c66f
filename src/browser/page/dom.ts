/**
 * Finds elements of a page, and reads pages. It changes no more than a text.
 */

/** Returns the first element that matches, or null. */
export function find<Found extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): Found | null {
  return within.querySelector<Found>(selector);
}

/** Returns the first element that matches. Throws if there is none: the server writes it on every page that has the element around it. */
export function part<Found extends Element = HTMLElement>(selector: string, within: ParentNode = document): Found {
  const found = find<Found>(selector, within);
  if (found === null) throw new Error(`The page has no ${selector}`);
  return found;
}

export function all<Found extends Element = HTMLElement>(selector: string, within: ParentNode = document): Found[] {
  return [...within.querySelectorAll<Found>(selector)];
}

/** Sets the text of an element. Leaves the element alone if it has that text, so that a screen reader does not read it again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Parses the page in a response. Scripts in it do not run. */
export async function pageIn(response: Response): Promise<Document> {
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** Copies the children of an element of another page into this one, in place of what the target has. */
export function replaceChildren(target: Element, source: Element): void {
  target.replaceChildren(...document.importNode(source, true).childNodes);
}
