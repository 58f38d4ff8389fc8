using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>Restricts a time to the years 2000 to 9998 (UTC), which leaves room for flight plans and rejects an unset time.</summary>
/// <remarks>Replaces the check of <see cref="RangeAttribute"/>, whose first use isn't thread-safe.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Parameter)]
public sealed class FlightTimeAttribute()
    : RangeAttribute(typeof(DateTimeOffset), "2000-01-01T00:00:00Z", "9998-12-31T23:59:59.9999999Z")
{
    private const int FirstYear = 2000;
    private const int LastYear = 9998;

    public override bool IsValid(object? value) =>
        value is null or DateTimeOffset { UtcDateTime.Year: >= FirstYear and <= LastYear };

    public override string FormatErrorMessage(string name) => $"{name} must be in the years {FirstYear} to {LastYear}.";
}
