namespace DroneDelivery.Lab;

/// <summary>Formats numbers with three significant digits.</summary>
internal static class NumberText
{
    public static string Of(double value)
    {
        if (!double.IsFinite(value))
            return "–";
        var format =
            Math.Abs(value) >= 100 || value == Math.Floor(value) ? "#,0"
            : Math.Abs(value) >= 10 ? "0.0"
            : "0.00";
        return value.ToString(format);
    }

    public static string Of(double? value) => Of(value ?? double.NaN);
}
