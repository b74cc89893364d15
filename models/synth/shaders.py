"""The GLSL of the rasteriser. Every mesh is instanced; an instance carries its own colour, surface and id."""

VERTEX = """
#version 330
uniform mat4 view_projection;
in vec3 in_position; in vec3 in_normal; in vec3 in_colour;
in vec4 row0; in vec4 row1; in vec4 row2;
in vec4 tint; in vec4 surface; in vec4 cover; in float ident;
out vec3 world; out vec3 normal; out vec3 local; out vec3 local_normal; out vec3 albedo;
flat out vec4 v_surface; flat out vec4 v_cover; flat out float v_ident;
void main() {
    vec4 p = vec4(in_position, 1.0);
    world = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
    vec3 a = vec3(row0.x, row1.x, row2.x), b = vec3(row0.y, row1.y, row2.y), c = vec3(row0.z, row1.z, row2.z);
    normal = cross(b, c) * in_normal.x + cross(c, a) * in_normal.y + cross(a, b) * in_normal.z;
    local = in_position * vec3(length(a), length(b), length(c));
    local_normal = in_normal;
    albedo = mix(in_colour, tint.rgb, tint.a);
    v_surface = surface; v_cover = cover; v_ident = ident;
    gl_Position = view_projection * vec4(world, 1.0);
}
"""

SHADOW_FRAGMENT = """
#version 330
void main() {}
"""

ID_FRAGMENT = """
#version 330
flat in float v_ident;
out float id;
void main() { id = v_ident; }
"""

SHADE_FRAGMENT = """
#version 330
uniform int light_count; uniform int taps;
uniform vec3 light_direction[%(lights)d]; uniform vec3 light_colour[%(lights)d];
uniform mat4 light_matrix[%(lights)d]; uniform vec4 light_tile[%(lights)d]; uniform float light_softness[%(lights)d];
uniform vec3 light_extent[%(lights)d]; uniform float light_texel[%(lights)d];
uniform vec3 harmonics[9];
uniform vec3 eye; uniform float exposure; uniform float gamma; uniform float environment_lod; uniform vec3 environment_tint;
uniform sampler2DShadow shadows; uniform sampler2DArray covers; uniform sampler2D noise; uniform sampler2D environment;
in vec3 world; in vec3 normal; in vec3 local; in vec3 local_normal; in vec3 albedo;
flat in vec4 v_surface; flat in vec4 v_cover; flat in float v_ident;
out vec4 colour;

// surface: speckle amount, speckle size mm, gloss, roughness; cover: texture layer (-1 none), tile mm, mix, painted
const vec2 DISC[16] = vec2[16](
    vec2(-0.94,-0.40), vec2(0.95,-0.77), vec2(-0.09,-0.93), vec2(0.34,0.29), vec2(-0.92,0.46), vec2(-0.82,-0.88),
    vec2(-0.38,0.28), vec2(0.97,0.76), vec2(0.44,-0.98), vec2(0.54,-0.47), vec2(-0.26,-0.42), vec2(0.79,0.19),
    vec2(-0.24,1.00), vec2(-0.81,0.91), vec2(0.20,0.79), vec2(0.14,-0.14));

float lit(int i, vec3 n) {
    vec3 size = light_extent[i];
    vec4 q = light_matrix[i] * vec4(world + n * (0.4 + 0.8 * size.x * light_texel[i]), 1.0);
    vec3 p = q.xyz * 0.5 + 0.5;
    // The surface itself slopes in the light's eyes: each look beside the point must expect another depth.
    vec3 slope = mat3(light_matrix[i]) * n * size * 0.5;
    vec2 lean = slope.z < -0.05 ? clamp(-slope.xy / slope.z, -6.0, 6.0) * size.xy / size.z : vec2(0.0);
    if (p.x < 0.0 || p.y < 0.0 || p.x > 1.0 || p.y > 1.0) return 1.0;
    vec4 tile = light_tile[i];
    float turn = 6.2832 * fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584))));
    mat2 spin = mat2(cos(turn), sin(turn), -sin(turn), cos(turn));
    float sum = 0.0;
    for (int k = 0; k < taps; ++k) {
        vec2 aside = spin * DISC[k] * light_softness[i];
        vec2 at = clamp(p.xy + aside, 0.002, 0.998);
        sum += texture(shadows, vec3(tile.xy + at * tile.zw, p.z + dot(aside, lean)));
    }
    return sum / float(taps);
}

vec3 surroundings(vec3 d, float lod) {
    vec2 uv = vec2(atan(d.y, d.x) / 6.2832 + 0.5, acos(clamp(d.z, -1.0, 1.0)) / 3.14159);
    return textureLod(environment, uv, lod).rgb * environment_tint;
}

void main() {
    vec3 n = normalize(normal), view = normalize(eye - world);
    if (dot(n, view) < 0.0) n = -n;
    vec3 face = n;
    vec3 an = abs(local_normal);
    vec2 flat_uv = an.z >= max(an.x, an.y) ? local.xy : (an.x > an.y ? local.yz : local.xz);
    flat_uv += vec2(fract(v_ident * 0.618), fract(v_ident * 0.381)) * 97.0;
    vec3 base = albedo;
    if (v_cover.x >= 0.0) {
        vec3 t = texture(covers, vec3(flat_uv / v_cover.y, v_cover.x)).rgb;
        t = t * t;
        base = mix(base, base * t * 4.0, v_cover.z);   // a cover has a mean of about one half before squaring
    }
    vec4 speck = texture(noise, flat_uv / v_surface.y);
    vec4 broad = texture(noise, flat_uv.yx / (v_surface.y * 7.3));
    base *= 1.0 + v_surface.x * ((speck.a - 0.5) * 1.8 + (broad.a - 0.5) * 0.9);
    base = clamp(base, 0.004, 0.95);
    n = normalize(n + vec3(speck.xy - 0.5, 0.0) * v_surface.x * 1.1);
    base *= mix(1.0, 0.62 + 0.5 * clamp(n.z * 0.6 + 0.4, 0.0, 1.0), v_cover.w);

    vec3 light = harmonics[0] + harmonics[1]*n.y + harmonics[2]*n.z + harmonics[3]*n.x + harmonics[4]*n.x*n.y
        + harmonics[5]*n.y*n.z + harmonics[6]*(3.0*n.z*n.z-1.0) + harmonics[7]*n.x*n.z + harmonics[8]*(n.x*n.x-n.y*n.y);
    light = max(light, vec3(0.0));
    vec3 shine = vec3(0.0);
    float power = mix(180.0, 8.0, v_surface.w);
    for (int i = 0; i < light_count; ++i) {
        float cosine = dot(n, light_direction[i]);
        if (cosine <= 0.0) continue;
        float open = lit(i, face);
        light += light_colour[i] * cosine * open;
        if (v_surface.z <= 0.06) continue;
        vec3 h = normalize(light_direction[i] + view);
        shine += light_colour[i] * open * pow(max(dot(n, h), 0.0), power) * (power + 8.0) * 0.04;
    }
    vec3 out_light = base * light;
    if (v_surface.z > 0.06) {   // dull things mirror nothing one could see
        float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(n, view), 0.0), 5.0);
        vec3 mirror = surroundings(reflect(-view, n), environment_lod + v_surface.w * 5.0);
        out_light += v_surface.z * (shine * 0.04 + mirror * fresnel);
    }
    out_light *= exposure;
    out_light = out_light * (1.0 + out_light * 0.12) / (1.0 + out_light * 0.55);   // a soft shoulder, as phones have
    colour = vec4(pow(clamp(out_light, 0.0, 1.0), vec3(gamma)), 1.0);
}
"""
