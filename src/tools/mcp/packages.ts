/** The optional package of the MCP server, as data. */
import type { OptionalPackage } from '../../core/optional-package.js';

export const mcpPackage: OptionalPackage = { name: '@modelcontextprotocol/server', users: ['mcpServer()'] };
