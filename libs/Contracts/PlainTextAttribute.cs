using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>A text without control characters. PostgreSQL stores no U+0000, and nobody means any of the others in a name
/// for people.</summary>
/// <remarks>The pattern is what OpenAPI documents say; the check is the same without an engine for patterns.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Parameter)]
public sealed class PlainTextAttribute() : RegularExpressionAttribute(@"^[^\u0000-\u001F\u007F-\u009F]*$")
{
    /// <summary>Null is valid: whether a text may be missing is for the property to say.</summary>
    public override bool IsValid(object? value) => value is null || value is string text && !text.Any(char.IsControl);

    public override string FormatErrorMessage(string name) => $"{name} must be a text without control characters.";
}
