/**
 * Makes elements. Text becomes text nodes, never markup.
 */

/** Functions are event handlers. True is an attribute without a value; false and undefined leave the attribute out. */
type Attributes = { readonly [name: string]: string | boolean | (() => void) | undefined };

/** Makes an element. Children that are false or undefined are left out. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string | false | undefined)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}
