// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

/**
 * One figure beside what it is compared with.
 *
 * @param name what is measured
 * @param ours what it is
 * @param peer what the other is
 * @param peerName which other: the other mechanism of the call, or the target
 * @param unit of both; less is better
 * @param ratio how many times better ours is: above 1 is better
 */
public record DowncallCase(
    String name, double ours, double peer, String peerName, String unit, double ratio) {
  static DowncallCase of(String name, double ours, double peer, String peerName, String unit) {
    return new DowncallCase(name, ours, peer, peerName, unit, peer / ours);
  }
}
