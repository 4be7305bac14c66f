/**
 * Documents as this process knows them, so that one is parsed once for all the steps that read it. A known one counts only where the file
 * has the very text, so it is never out of date.
 */
import { type Stored, StoredRecord } from '../../core/format/stored.js';
import { ShortLivedMap } from '../../machine/short-lived-map.js';

const mostKnown = 1_024;
/** In characters. */
const longestKept = 16_384;

export class KnownDocuments {
  /** By conversation, the oldest first. */
  private readonly known = new ShortLivedMap<string, Stored>();

  /** The document of a conversation that has this text. */
  at(conversationId: string, text: string): Stored {
    const found = this.known.get(conversationId);
    return found?.text === text ? found : this.set(conversationId, StoredRecord.ofText(text));
  }

  /** The conversation is gone: nothing of it stays in memory. */
  forget(conversationId: string): void {
    this.known.delete(conversationId);
  }

  set(conversationId: string, document: Stored): Stored {
    if (document.text.length > longestKept) this.known.delete(conversationId);
    else this.known.setNewest(conversationId, document, mostKnown);
    return document;
  }
}
