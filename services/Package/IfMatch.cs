using System.Diagnostics.CodeAnalysis;
using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Package;

/// <summary>The header <c>If-Match</c>, with the versions of a package that a client expects.</summary>
internal sealed record IfMatch(bool IsAny, string[] Versions)
{
    // Limits the cost of a header, which Kestrel limits only to 32 KB.
    private const int MaxTags = 100;

    public static bool TryParse(string? text, IFormatProvider? provider, [NotNullWhen(true)] out IfMatch? result)
    {
        result = null;
        if (!EntityTagHeaderValue.TryParseStrictList([text ?? ""], out var tags) || tags.Count > MaxTags)
            return false;
        // If-Match requires a strong comparison (RFC 9110 §13.1.1).
        string[] versions = [.. tags.Where(tag => !tag.IsWeak).Select(tag => tag.Tag.Value!.Trim('"'))];
        result = new(versions.Contains("*"), versions);
        return true;
    }

    public static string TagOf(string version) => $"\"{version}\"";

    public bool Allows(string version) => IsAny || Versions.Contains(version);
}
