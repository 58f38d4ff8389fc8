using System.Net;
using System.Runtime.CompilerServices;
using System.Text;

namespace DroneDelivery.Lab.Report;

/// <summary>A fragment of HTML or SVG. Interpolated text is encoded; fragments aren't.</summary>
internal readonly record struct Html(string Markup)
{
    public static Html Empty { get; } = new("");

    public static Html Of(Writer text) => new(text.ToString());

    public override string ToString() => Markup;

    /// <summary>The interpolated string handler for <c>Html.Of($"…")</c>.</summary>
    [InterpolatedStringHandler]
    internal readonly struct Writer(int literalLength, int formattedCount)
    {
        private readonly StringBuilder _text = new(literalLength + 16 * formattedCount);

        public void AppendLiteral(string text) => _text.Append(text);

        public void AppendFormatted(string? text) => _text.Append(WebUtility.HtmlEncode(text));

        public void AppendFormatted(Html html) => _text.Append(html.Markup);

        public void AppendFormatted(IEnumerable<Html> pieces)
        {
            foreach (var piece in pieces)
                _text.Append(piece.Markup);
        }

        public void AppendFormatted<T>(T value, string? format = null)
            where T : IFormattable => _text.Append(WebUtility.HtmlEncode(value.ToString(format, null)));

        public override string ToString() => _text.ToString();
    }
}
