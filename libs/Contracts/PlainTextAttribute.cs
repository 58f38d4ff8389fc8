using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>A text without control characters. PostgreSQL stores no U+0000, and nobody means any of the others in a name
/// for people.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Parameter)]
public sealed class PlainTextAttribute : ValidationAttribute
{
    /// <summary>Null is valid: whether a text may be missing is for the property to say.</summary>
    public override bool IsValid(object? value) => value is null || value is string text && !text.Any(char.IsControl);

    public override string FormatErrorMessage(string name) => $"{name} must be a text without control characters.";
}
