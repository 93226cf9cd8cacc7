// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

/**
 * What an operation has of its own memory.
 *
 * @param from what it sends
 * @param to what it receives; may be the same
 * @param scratch for what peers send
 */
public record Local(Region from, Region to, Region scratch) {}
