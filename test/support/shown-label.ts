/** Whether a control shows this label: alone, or with the number of its option. */
export function showsLabel(shown: string | undefined, label: string): boolean {
  return shown === label || shown?.replace(/^\d+\. /, '') === label;
}
