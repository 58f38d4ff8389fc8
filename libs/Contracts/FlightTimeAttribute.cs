using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Contracts;

/// <summary>
/// A time at which drones fly: the years 2000 to 9998 (UTC). A flight plan counts hours from it in both directions, which the first and
/// the last day of the calendar cannot take; the first one is what a client sends that forgot to set the time.
/// </summary>
/// <remarks>The check is our own: that of the framework converts the two strings on first use, and two concurrent first requests may
/// disturb each other.</remarks>
[AttributeUsage(AttributeTargets.Property | AttributeTargets.Parameter)]
public sealed class FlightTimeAttribute()
    : RangeAttribute(typeof(DateTimeOffset), "2000-01-01T00:00:00Z", "9998-12-31T23:59:59.9999999Z")
{
    private const int FirstYear = 2000;
    private const int LastYear = 9998;

    /// <summary>Null is valid: whether a time may be missing is for the property to say.</summary>
    public override bool IsValid(object? value) =>
        value is null or DateTimeOffset { UtcDateTime.Year: >= FirstYear and <= LastYear };

    public override string FormatErrorMessage(string name) => $"{name} must be in the years {FirstYear} to {LastYear}.";
}
