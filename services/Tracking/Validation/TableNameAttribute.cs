using System.ComponentModel.DataAnnotations;
using System.Text.RegularExpressions;

namespace DroneDelivery.Tracking.Validation;

/// <summary>A name that Table Storage takes for a table.</summary>
[AttributeUsage(AttributeTargets.Parameter)]
internal sealed partial class TableNameAttribute() : ValidationAttribute(Rule)
{
    public const string Rule =
        "Must be 3 to 63 letters a to z and digits, must not begin with a digit, and must not be 'tables' or 'counters'.";

    // Table Storage keeps the first for itself; the second is the path of the counters.
    private static readonly string[] Reserved = ["tables", "counters"];

    public static bool IsName(string text) => Name().IsMatch(text) && !Reserved.Contains(text, StringComparer.OrdinalIgnoreCase);

    public override bool IsValid(object? value) => value is string text && IsName(text);

    [GeneratedRegex(@"\A[A-Za-z][A-Za-z0-9]{2,62}\z")]
    private static partial Regex Name();
}
