/** A command is lost, or its reply is, or its reply comes when nobody waits for it any more. */
import { lostReplies } from './lost-replies.js';

lostReplies(['cut before', 'execute then cut', 'execute then hold']);
