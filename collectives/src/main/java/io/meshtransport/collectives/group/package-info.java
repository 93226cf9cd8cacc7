// SPDX-License-Identifier: Apache-2.0
/**
 * The members of a group and the connections between them: joining, what they exchange beside the
 * operations' own bytes, failures, and the operations as programs have them.
 */
package io.meshtransport.collectives.group;
