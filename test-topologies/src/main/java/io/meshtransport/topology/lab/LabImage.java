// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.nio.file.Path;

/**
 * What guests boot: files of the cache, which stay.
 *
 * @param kernelVersion as in {@code 6.1.0-56-amd64}
 * @param kernel the kernel
 * @param initrd what {@link InitrdBuilder} made for it
 */
public record LabImage(String kernelVersion, Path kernel, Path initrd) {}
