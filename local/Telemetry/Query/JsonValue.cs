using System.Globalization;
using System.Text.Json;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Writes values as JSON: times as ISO 8601 in UTC, timespans as [d.]hh:mm:ss, NaN and infinity as null.</summary>
internal static class JsonValue
{
    public static void Write(Utf8JsonWriter json, ColumnType type, object? value)
    {
        switch (value)
        {
            case null:
                json.WriteNullValue();
                break;
            case bool truth:
                json.WriteBooleanValue(truth);
                break;
            case long ticks when type == ColumnType.DateTime:
                json.WriteStringValue(Conversions.DateText(ticks));
                break;
            case long ticks when type == ColumnType.TimeSpan:
                json.WriteStringValue(Conversions.SpanText(ticks));
                break;
            case long number:
                json.WriteNumberValue(number);
                break;
            case double number when double.IsFinite(number):
                WriteReal(json, number);
                break;
            case double:
                json.WriteNullValue();
                break;
            case Dynamic dynamic:
                json.WriteRawValue(dynamic.Json.Span, skipInputValidation: true);
                break;
            default:
                json.WriteStringValue((string)value);
                break;
        }
    }

    /// <summary>Writes a real with a decimal point, so that it is read as a real.</summary>
    private static void WriteReal(Utf8JsonWriter json, double number)
    {
        if (Math.Abs(number) < 1e15 && Math.Truncate(number) == number)
            json.WriteRawValue(number.ToString("0.0", CultureInfo.InvariantCulture));
        else
            json.WriteNumberValue(number);
    }
}
