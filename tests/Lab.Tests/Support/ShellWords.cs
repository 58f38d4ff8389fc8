namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// Splits a command line as a shell does, as far as the workshop requires: blanks, single quotes, a trailing comment.
/// </summary>
internal static class ShellWords
{
    public static string[] Of(string line) =>
        [
            .. Regex
                .Matches(line, "'(?<quoted>[^']*)'|\\S+")
                .Select(word => word.Groups["quoted"].Success ? word.Groups["quoted"].Value : word.Value)
                .TakeWhile(word => word != "#"),
        ];
}
