using System.Xml;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Configuration;

/// <summary>Durations as ISO 8601 writes them: <c>PT1M30S</c>, <c>P14D</c>.</summary>
internal static class IsoDuration
{
    /// <exception cref="FormatException">It is none, or beyond <see cref="TimeSpan.MaxValue"/>.</exception>
    public static TimeSpan Parse(string text)
    {
        try
        {
            return XmlConvert.ToTimeSpan(text);
        }
        catch (Exception error) when (error is FormatException or OverflowException)
        {
            throw new FormatException($"'{Excerpt.Of(text)}' is not an ISO 8601 duration such as PT30S or P14D.", error);
        }
    }

    public static string Format(TimeSpan duration) => XmlConvert.ToString(duration);
}
