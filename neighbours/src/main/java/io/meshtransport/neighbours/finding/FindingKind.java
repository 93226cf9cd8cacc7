// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.finding;

/** What can be wrong with a cable, an interface or a name. */
public enum FindingKind {
  /** A neighbour's address is in the subnet of another interface of this node. */
  CROSSED_CABLES,
  /** Two interfaces of this node have addresses in one subnet. */
  SHARED_SUBNET,
  /** The two ends of a cable have no common subnet, or one of different lengths. */
  PREFIX_MISMATCH,
  /** A cable leads from this node back to it. */
  LOOPED_CABLE,
  /** More than one node is behind one port. */
  SEVERAL_NODES,
  /** A neighbour is heard and does not hear this node. */
  ONE_WAY,
  /** The two ends of a cable have different MTUs. */
  MTU_MISMATCH,
  /** The two ends of a cable have different speeds. */
  SPEED_MISMATCH,
  /** Two nodes have one name. */
  DUPLICATE_NAME,
  /** Two nodes have had one name within a short time, and have no address in common. */
  REUSED_NAME,
  /** A node of another job is at the other end. */
  OTHER_JOB,
  /** A node with another secret, or with none, is at the other end. */
  OTHER_SECRET
}
