using System.Globalization;

namespace DroneDelivery.Lab.Runs;

/// <summary>Numbers for people: three digits that count, thousands apart.</summary>
internal static class NumberText
{
    public static string Of(double value) => !double.IsFinite(value) ? "–"
        : value.ToString(Math.Abs(value) >= 100 || value == Math.Floor(value) ? "#,0" : Math.Abs(value) >= 10 ? "0.0" : "0.00", CultureInfo.InvariantCulture);

    public static string Of(double? value) => Of(value ?? double.NaN);
}
