// SPDX-License-Identifier: Apache-2.0
/**
 * Ours beside what people use today: on the same cables, in one run, in turns.
 *
 * <p>A {@link io.meshtransport.bench.SoftBench} gives each {@link io.meshtransport.bench.BenchCase}
 * its rounds; what is measured is a {@link io.meshtransport.bench.MeasuredSystem}: two JVMs of our
 * own ({@link io.meshtransport.bench.BenchNode}), or a program of others. What comes of it is a
 * {@link io.meshtransport.bench.Comparison} each.
 */
package io.meshtransport.bench;
