using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Package;

/// <summary>The header <c>If-Match</c>: the versions of a package that a client knows and wants to change.</summary>
internal sealed record IfMatch(bool IsAny, string[] Versions)
{
    /// <returns>Null: no condition.</returns>
    public static IfMatch? Of(string? header)
    {
        if (header is null)
            return null;
        // A weak tag is that of something similar: not enough to replace it.
        var tags = EntityTagHeaderValue
            .ParseStrictList([header])
            .Where(tag => !tag.IsWeak)
            .Select(tag => tag.Tag.Value!)
            .ToArray();
        return new IfMatch(tags.Contains("*"), [.. tags.Select(tag => tag.Trim('"'))]);
    }

    public static string TagOf(string version) => $"\"{version}\"";

    public bool Allows(string version) => IsAny || Versions.Contains(version);
}
