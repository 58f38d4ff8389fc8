namespace DroneDelivery.Telemetry.Query;

internal sealed class QueryText(string text)
{
    public const int MaxLength = 100_000;

    public string Text { get; } = text;

    public KqlException Error(int offset, string reason, string? hint = null)
    {
        offset = Math.Min(offset, Text.Length);
        var lineStart = offset == 0 ? 0 : Text.LastIndexOf('\n', offset - 1) + 1;
        return new(reason, Text.AsSpan(0, offset).Count('\n') + 1, offset - lineStart + 1, hint);
    }
}
