using System.Buffers;
using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>
/// Requires an id of 1 to 64 ASCII letters, digits, or <c>. _ ~ @ -</c>, which needs no escaping in message ids, Redis keys, and URLs.
/// <c>summary</c> and <c>utilization</c> are routes.
/// </summary>
/// <remarks>The pattern is for OpenAPI documents; the check needs no regular expression.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Parameter)]
public sealed class IdAttribute() : RegularExpressionAttribute("^[A-Za-z0-9][A-Za-z0-9._~@-]{0,63}$")
{
    public const int MaxLength = 64;

    private static readonly SearchValues<char> Allowed = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~@-"
    );

    public override bool IsValid(object? value) =>
        value is null
        || value is string { Length: > 0 and <= MaxLength } id
            && char.IsAsciiLetterOrDigit(id[0])
            && !id.AsSpan().ContainsAnyExcept(Allowed)
            && !id.Equals("summary", StringComparison.OrdinalIgnoreCase)
            && !id.Equals("utilization", StringComparison.OrdinalIgnoreCase);

    public override string FormatErrorMessage(string name) =>
        $"{name} must be 1 to {MaxLength} letters, digits, or . _ ~ @ -, start with a letter or digit, and not be a reserved word.";
}
