"""The rasteriser: instanced meshes, shadow maps and surroundings, on any OpenGL 3.3 (Mesa's software GL is enough).

Chosen by measuring: see the README. A picture is rendered through a pinhole that is wider than the real
camera; `photo` bends it through the lens afterwards, so the truth of a pixel never depends on the rasteriser.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from .errors import NoOpenGL
from .light import Lighting
from .mesh import INSTANCE_FLOATS, Mesh
from .shaders import ID_FRAGMENT, SHADE_FRAGMENT, SHADOW_FRAGMENT, VERTEX
from .textures import TEXTURE_PX, noise_texture, texture_library

MAX_LIGHTS = 24  # the size of the arrays in the shader
SHADOW_ATLAS_PX = 4096
KEPT_SIZES = 2  # render targets of a large picture take hundreds of megabytes
# A 24 bit depth buffer then splits 0.005 mm at two metres: decals a twentieth of a millimetre up need no tricks.
NEAR_MM, FAR_MM = 60.0, 9000.0

Batch = list[tuple[Mesh, NDArray[Any]]]
_Uploaded = list[tuple[Mesh, moderngl.Buffer, int]]


@dataclass(frozen=True)
class Frame:
    """What one rendering gives: the picture (BGR), the ids and the depth (mm) seen through the wide pinhole."""

    picture: NDArray[Any]
    ids: NDArray[Any]
    depth_mm: NDArray[Any]


@dataclass(frozen=True)
class Pinhole:
    """A camera without a lens: what the rasteriser can draw. Pixel centres are whole numbers, as in OpenCV."""

    size_px: tuple[int, int]
    matrix: NDArray[Any]
    rotation: NDArray[Any]
    translation: NDArray[Any]

    def view_projection(self) -> NDArray[Any]:
        """Table millimetres to clip space, upside down on purpose: the first row read back is the picture's top."""
        width_px, height_px = self.size_px
        k = self.matrix
        near, far = NEAR_MM, FAR_MM
        projection = np.array(
            [
                [2 * k[0, 0] / width_px, 0, 2 * (k[0, 2] + 0.5) / width_px - 1, 0],
                [0, 2 * k[1, 1] / height_px, 2 * (k[1, 2] + 0.5) / height_px - 1, 0],
                [0, 0, (far + near) / (far - near), -2 * far * near / (far - near)],
                [0, 0, 1, 0],
            ]
        )
        view = np.eye(4)
        view[:3, :3] = self.rotation
        view[:3, 3] = self.translation
        return projection @ view

    @property
    def position_mm(self) -> NDArray[Any]:
        return -self.rotation.T @ self.translation


class Renderer:
    """One OpenGL context with its programs and textures; make one per process and keep it."""

    def __init__(self, assets: str | None = None) -> None:
        try:
            ctx = self.ctx = moderngl.create_standalone_context(backend="egl")  # type: ignore[arg-type]
        except Exception as error:  # moderngl and its loader raise bare Exception here
            raise NoOpenGL(str(error)) from error
        self.shade: Any = ctx.program(
            vertex_shader=VERTEX, fragment_shader=SHADE_FRAGMENT % {"lights": MAX_LIGHTS}
        )
        self.ident: Any = ctx.program(vertex_shader=VERTEX, fragment_shader=ID_FRAGMENT)
        self.shadow: Any = ctx.program(vertex_shader=VERTEX, fragment_shader=SHADOW_FRAGMENT)
        self._targets: dict[tuple[int, int, int], tuple[moderngl.Framebuffer, ...]] = {}
        self._meshes: dict[int, tuple[Mesh, moderngl.Buffer, moderngl.Buffer]] = {}
        self._environments: dict[str, moderngl.Texture] = {}
        self.shadows = ctx.depth_texture((SHADOW_ATLAS_PX, SHADOW_ATLAS_PX))
        self.shadows.compare_func = "<="
        self._shadow_target = ctx.framebuffer(depth_attachment=self.shadows)
        layers = texture_library(assets)
        self.covers = ctx.texture_array((TEXTURE_PX, TEXTURE_PX, len(layers)), 3, np.stack(layers).tobytes())
        self.covers.build_mipmaps()
        self.covers.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        noise = noise_texture()
        self.noise = ctx.texture((noise.shape[1], noise.shape[0]), 4, noise.tobytes())
        self.noise.build_mipmaps()
        self.noise.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)

    # -- what lies on the card ------------------------------------------------------------------------------

    def _buffers(self, mesh: Mesh) -> tuple[moderngl.Buffer, moderngl.Buffer]:
        """Shared meshes stay on the card; those made for one picture go with it."""
        known = self._meshes.get(id(mesh))
        if known is None:
            vertices = np.hstack([mesh.positions, mesh.normals, mesh.colours]).astype("f4")
            faces = np.ascontiguousarray(mesh.faces, dtype="i4")
            known = (mesh, self.ctx.buffer(vertices.tobytes()), self.ctx.buffer(faces.tobytes()))
            self._meshes[id(mesh)] = known
        return known[1], known[2]

    def _forget(self, uploaded: _Uploaded) -> None:
        for _, instances, _ in uploaded:
            instances.release()
        for key in [k for k, (mesh, _, _) in self._meshes.items() if not mesh.shared]:
            _, vertices, faces = self._meshes.pop(key)
            vertices.release()
            faces.release()

    def _draw(self, program: moderngl.Program, uploaded: _Uploaded) -> None:
        used = set(program)
        vertex = [("3f", "in_position"), ("3f", "in_normal"), ("3f", "in_colour")]
        rows = ("row0", "row1", "row2", "tint", "surface", "cover")
        instance = [*(("4f", name) for name in rows), ("1f", "ident")]

        def layout(parts: list[tuple[str, str]]) -> tuple[str, list[str]]:
            kinds = [kind if name in used else f"{4 * int(kind[0])}x" for kind, name in parts]
            return " ".join(kinds), [name for _, name in parts if name in used]

        vertex_layout, vertex_names = layout(vertex)
        instance_layout, instance_names = layout(instance)
        for mesh, instances, count in uploaded:
            vertices, faces = self._buffers(mesh)
            vao = self.ctx.vertex_array(
                program,
                [
                    (vertices, vertex_layout, *vertex_names),
                    (instances, instance_layout + " /i", *instance_names),
                ],
                index_buffer=faces,
            )
            vao.render(instances=count)
            vao.release()

    # -- passes ---------------------------------------------------------------------------------------------

    def _cast_shadows(self, uploaded: _Uploaded, lighting: Lighting, bounds_mm: NDArray[Any]) -> None:
        """One tile of the shadow atlas for each light."""
        count = len(lighting.lights)
        side = math.ceil(math.sqrt(count))
        tile_px = SHADOW_ATLAS_PX // side
        self._shadow_target.use()
        self._shadow_target.viewport = (0, 0, SHADOW_ATLAS_PX, SHADOW_ATLAS_PX)
        self._shadow_target.clear(depth=1.0)
        matrices = np.zeros((MAX_LIGHTS, 4, 4), "f4")
        tiles = np.zeros((MAX_LIGHTS, 4), "f4")
        directions, colours = np.zeros((MAX_LIGHTS, 3), "f4"), np.zeros((MAX_LIGHTS, 3), "f4")
        softness, texels = np.zeros(MAX_LIGHTS, "f4"), np.zeros(MAX_LIGHTS, "f4")
        extents = np.ones((MAX_LIGHTS, 3), "f4")
        for index, light in enumerate(lighting.lights):
            row, column = divmod(index, side)
            matrix, extents_mm = light.shadow_matrix(bounds_mm)
            self._shadow_target.viewport = (column * tile_px, row * tile_px, tile_px, tile_px)
            self.shadow["view_projection"].write(matrix.T.astype("f4").tobytes())
            self._draw(self.shadow, uploaded)
            matrices[index] = matrix.T
            tiles[index] = (column / side, row / side, tile_px / SHADOW_ATLAS_PX, tile_px / SHADOW_ATLAS_PX)
            directions[index], colours[index] = light.direction, light.colour
            extents[index], texels[index] = extents_mm, 1.0 / tile_px
            softness[index] = max(light.softness_mm / float(extents_mm[:2].mean()), 1.2 / tile_px)
        for name, values in (
            ("light_matrix", matrices),
            ("light_tile", tiles),
            ("light_direction", directions),
            ("light_colour", colours),
            ("light_softness", softness),
            ("light_texel", texels),
            ("light_extent", extents),
        ):
            self.shade[name].write(values.tobytes())
        self.shade["light_count"].value = count

    def _target(self, size_px: tuple[int, int], samples: int) -> tuple[moderngl.Framebuffer, ...]:
        """Many-sampled, resolved and id targets of this size; only a few sizes are kept, they are large."""
        key = (*size_px, samples)
        if key not in self._targets:
            ctx = self.ctx
            while len(self._targets) >= KEPT_SIZES:
                for old in self._targets.pop(next(iter(self._targets))):
                    # a framebuffer does not own what is attached to it
                    for attachment in (*old.color_attachments, old.depth_attachment):
                        if attachment is not None:
                            attachment.release()
                    old.release()
            samples = min(samples, ctx.max_samples)
            many = ctx.framebuffer(
                ctx.renderbuffer(size_px, 4, samples=samples),
                ctx.depth_renderbuffer(size_px, samples=samples),
            )
            single = ctx.framebuffer(ctx.renderbuffer(size_px, 4))
            ids = ctx.framebuffer(ctx.texture(size_px, 1, dtype="f4"), ctx.depth_texture(size_px))
            self._targets[key] = (many, single, ids)
        return self._targets[key]

    def _environment(self, lighting: Lighting) -> moderngl.Texture:
        texture = self._environments.get(lighting.environment_name)
        if texture is None:
            if len(self._environments) > 24:
                self._environments.pop(next(iter(self._environments))).release()
            panorama = np.ascontiguousarray(lighting.environment, dtype="f2")
            texture = self.ctx.texture(
                (panorama.shape[1], panorama.shape[0]), 3, panorama.tobytes(), dtype="f2"
            )
            texture.build_mipmaps()
            texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
            self._environments[lighting.environment_name] = texture
        return texture

    def render(
        self,
        batch: Batch,
        pinhole: Pinhole,
        lighting: Lighting,
        bounds_mm: NDArray[Any],
    ) -> Frame:
        """Shadows, then the picture, then the ids and the depth. `bounds_mm` is the box that may cast shadows."""
        ctx = self.ctx
        ctx.enable_only(moderngl.DEPTH_TEST)
        uploaded: _Uploaded = []
        for mesh, instances in batch:
            assert instances.shape[1] == INSTANCE_FLOATS
            uploaded.append((mesh, ctx.buffer(instances.astype("f4").tobytes()), len(instances)))
        self._cast_shadows(uploaded, lighting, bounds_mm)

        many, single, ids = self._target(pinhole.size_px, lighting.samples)
        matrix = pinhole.view_projection().T.astype("f4").tobytes()
        shade = self.shade
        shade["view_projection"].write(matrix)
        shade["harmonics"].write(lighting.harmonics.astype("f4").tobytes())
        shade["eye"].value = tuple(pinhole.position_mm)
        shade["exposure"].value = lighting.exposure
        shade["gamma"].value = lighting.gamma
        shade["environment_lod"].value = lighting.mirror_blur
        shade["environment_tint"].value = tuple(lighting.environment_gain)
        shade["taps"].value = lighting.taps
        # The filter costs a third of a picture; where many soft lights overlap it shows, with few it does not.
        smooth = moderngl.LINEAR if lighting.fine else moderngl.NEAREST
        self.shadows.filter = (smooth, smooth)
        textures: dict[str, moderngl.Texture | moderngl.TextureArray] = {
            "shadows": self.shadows,
            "covers": self.covers,
            "noise": self.noise,
            "environment": self._environment(lighting),
        }
        for unit, (name, texture) in enumerate(textures.items()):
            texture.use(unit)
            shade[name].value = unit
        many.use()
        many.clear(*lighting.background, 1.0)
        self._draw(shade, uploaded)
        ctx.copy_framebuffer(single, many)
        width_px, height_px = pinhole.size_px
        picture = np.frombuffer(single.read(components=3, alignment=1), np.uint8).reshape(
            height_px, width_px, 3
        )

        ids.use()
        ids.clear()
        self.ident["view_projection"].write(matrix)
        self._draw(self.ident, uploaded)
        numbers = np.frombuffer(ids.read(components=1, dtype="f4"), np.float32).reshape(height_px, width_px)
        depth: Any = ids.depth_attachment
        raw = np.frombuffer(depth.read(), np.float32).reshape(height_px, width_px)
        ndc = raw * 2.0 - 1.0
        depth_mm = 2.0 * FAR_MM * NEAR_MM / (FAR_MM + NEAR_MM - ndc * (FAR_MM - NEAR_MM))
        self._forget(uploaded)
        return Frame(
            np.ascontiguousarray(picture[:, :, ::-1]), numbers.astype(np.int32), depth_mm.astype(np.float32)
        )


@lru_cache(maxsize=1)
def shared_renderer(assets: str | None) -> Renderer:
    """The renderer of this process."""
    return Renderer(assets)
