using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace DroneDelivery.Bench.Queries;

/// <summary>Recreates the recorded telemetry of one delivery (<c>delivery.ndjson</c>) with new ids and times.</summary>
internal sealed partial class RecordedDelivery
{
    private const int FailsOneIn = 50;

    private readonly string[] _parts;

    public int Items { get; }

    public RecordedDelivery()
    {
        using var stream = typeof(RecordedDelivery).Assembly.GetManifestResourceStream("delivery.ndjson")!;
        using var reader = new StreamReader(stream);
        var template = reader.ReadToEnd();
        _parts = Placeholder().Split(template); // text, placeholder, text, placeholder, …
        Items = template.Count(character => character == '\n');
    }

    /// <summary>Appends the items of delivery <paramref name="number"/>, one per line.</summary>
    public void AppendTo(StringBuilder text, int number, DateTimeOffset start)
    {
        for (var i = 0; i < _parts.Length; i++)
        {
            if (i % 2 == 0)
                text.Append(_parts[i]);
            else
                AppendValue(text, _parts[i], number, start);
        }
    }

    // {+123}: milliseconds after the start; {d12}: approximate duration; {m12}: approximate count; {op}: operation; {delivery}; {r}:
    // replica; {ok}, {code}: outcome of the call to Delivery; {s7}: seventh span.
    private static void AppendValue(StringBuilder text, string placeholder, int number, DateTimeOffset start)
    {
        switch (placeholder)
        {
            case ['+', .. var milliseconds]:
                var time = start.AddMilliseconds(double.Parse(milliseconds, CultureInfo.InvariantCulture)).UtcDateTime;
                text.Append(time.ToString("O", CultureInfo.InvariantCulture));
                break;
            case "op":
                text.Append(CultureInfo.InvariantCulture, $"{Spread(number, 0):x16}{Spread(number, 1):x16}");
                break;
            case "delivery":
                text.Append(CultureInfo.InvariantCulture, $"01a1fcf5-{number:x8}-{Spread(number, 2):x16}");
                break;
            case "ok":
                text.Append(number % FailsOneIn == 0 ? "false" : "true");
                break;
            case "code":
                text.Append(number % FailsOneIn == 0 ? "503" : "201");
                break;
            case "r":
                text.Append(number % 3);
                break;
            case ['d', .. var milliseconds] when char.IsAsciiDigit(milliseconds[0]):
                text.Append(
                    TimeSpan.FromMilliseconds(About(milliseconds, number)).ToString("c", CultureInfo.InvariantCulture)
                );
                break;
            case ['m', .. var milliseconds]:
                text.Append(CultureInfo.InvariantCulture, $"{About(milliseconds, number):0.###}");
                break;
            default:
                var which = 2 + int.Parse(placeholder[1..], CultureInfo.InvariantCulture);
                text.Append(CultureInfo.InvariantCulture, $"{Spread(number, which):x16}");
                break;
        }
    }

    // 50–150 % of the value.
    private static double About(string value, int number) =>
        double.Parse(value, CultureInfo.InvariantCulture)
        * (0.5 + ((Spread(number, value.Length) >> 11) * (1.0 / (1UL << 53))));

    private static ulong Spread(int number, int which) =>
        ((ulong)(number + 1) * 0x9E3779B97F4A7C15) ^ ((ulong)(which + 1) * 0xC2B2AE3D27D4EB4F);

    [GeneratedRegex(@"\{(\+[0-9.]+|[dm][0-9.]+|op|delivery|r|ok|code|s[0-9]+)\}")]
    private static partial Regex Placeholder();
}
