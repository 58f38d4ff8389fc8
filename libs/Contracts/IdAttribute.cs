using System.Buffers;
using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>
/// An id: 1 to 64 ASCII letters, digits or <c>. _ ~ @ -</c>, the first a letter or digit. Ids become message ids, Redis keys and URL
/// segments, and such a text needs no escaping in any of them. <c>summary</c> and <c>utilization</c> are none: where an id may stand in a
/// path, these are routes of their own.
/// </summary>
/// <remarks>The pattern is what OpenAPI documents say; the check is the same, but for the two, without an engine for patterns.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Parameter)]
public sealed class IdAttribute() : RegularExpressionAttribute("^[A-Za-z0-9][A-Za-z0-9._~@-]{0,63}$")
{
    public const int MaxLength = 64;

    private static readonly SearchValues<char> Allowed = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~@-"
    );

    /// <summary>Null is valid: whether an id may be missing is for the property to say.</summary>
    public override bool IsValid(object? value) =>
        value is null
        || value is string { Length: > 0 and <= MaxLength } id
            && char.IsAsciiLetterOrDigit(id[0])
            && !id.AsSpan().ContainsAnyExcept(Allowed)
            && !id.Equals("summary", StringComparison.OrdinalIgnoreCase)
            && !id.Equals("utilization", StringComparison.OrdinalIgnoreCase);

    public override string FormatErrorMessage(string name) =>
        $"{name} must be 1 to {MaxLength} letters, digits or . _ ~ @ -, start with a letter or digit, and be no word of the routes.";
}
