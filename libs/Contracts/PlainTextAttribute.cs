using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>A text without control characters. PostgreSQL stores no U+0000, and nobody means any of the others in a name
/// for people.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Parameter)]
public sealed class PlainTextAttribute() : RegularExpressionAttribute(@"^[^\u0000-\u001F\u007F-\u009F]*$")
{
    public override string FormatErrorMessage(string name) => $"{name} must be a text without control characters.";
}
