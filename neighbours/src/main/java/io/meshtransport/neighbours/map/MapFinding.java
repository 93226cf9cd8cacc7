// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import io.meshtransport.neighbours.finding.FindingKind;

/**
 * Something that is wrong, or unusual, with the cabling.
 *
 * @param node label of the node whose end it was seen from: what "here" means in the text
 * @param subject which interface, cable or name
 * @param text what was seen
 * @param remedy what to do
 */
public record MapFinding(
    FindingKind kind, String node, String subject, String text, String remedy) {}
