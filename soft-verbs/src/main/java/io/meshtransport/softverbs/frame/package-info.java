// SPDX-License-Identifier: Apache-2.0
/**
 * The frames of a stream: {@link io.meshtransport.softverbs.frame.FrameHeader} draws the bytes, and
 * {@link io.meshtransport.softverbs.frame.PayloadViews} names registered memory without copies or
 * garbage. Uses nothing of the other packages.
 *
 * <p>Tests: {@code PayloadViewsTest} here; {@code WireFormatTest} and {@code FrameBatchTest} in
 * {@code tcp}, where the frames are written.
 */
package io.meshtransport.softverbs.frame;
