/** A reply is lost after its command was executed: the fault that a store can least tell from the others. */
import { lostReplies } from './lost-replies.js';

lostReplies(['execute then cut']);
