namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>What an error message repeats of a client's own words: enough to recognise them, whatever their length.</summary>
internal static class Excerpt
{
    private const int Longest = 100;

    public static string Of(string text) => text.Length <= Longest ? text : $"{text[..Longest]}…";
}
