using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>Rejects control characters. PostgreSQL can't store U+0000.</summary>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Parameter)]
public sealed class PlainTextAttribute() : RegularExpressionAttribute(@"^[^\u0000-\u001F\u007F-\u009F]*$")
{
    public override string FormatErrorMessage(string name) => $"{name} must not contain control characters.";
}
