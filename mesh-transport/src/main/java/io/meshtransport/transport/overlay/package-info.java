// SPDX-License-Identifier: Apache-2.0
/**
 * Nodes that no cable joins: {@link io.meshtransport.transport.overlay.OverlayLink} gives a
 * transport a virtual NIC for them, over flows of an {@link io.meshtransport.spi.Overlay}.
 * Everything above sees one more NIC.
 *
 * <pre>
 *   OverlayLink -> OverlayBridge -> FlowSplice                    handshakes: TCP that flows carry
 *       |               |
 *       |               v
 *       +-> SoftDevice -> FlowNetwork -> FlowStream -> FlowConnection     frames over flows
 *                                                          +-> FlowHello
 * </pre>
 */
package io.meshtransport.transport.overlay;
