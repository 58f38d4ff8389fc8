using DroneDelivery.Telemetry.Tables;
using static DroneDelivery.Telemetry.Query.Kernels;

namespace DroneDelivery.Telemetry.Query;

internal static class TextFunctions
{
    public static readonly Function[] Functions =
    [
        OfAny("strcat", "string, string -> string", Of((string a, string b) => a + b), folds: true),
        new("strlen", "string -> long", Of((string text) => (long)text.Length))
        {
            Naming = ResultName.FunctionAndFirstArgument,
        },
        OfAny("tolower", "string -> string", Of((string text) => text.ToLowerInvariant())),
        OfAny("toupper", "string -> string", Of((string text) => text.ToUpperInvariant())),
        new(
            "substring",
            [
                new("string, long -> string", Of((string text, long from) => Part(text, from, text.Length))),
                new("string, long, long -> string", Of<string, long, long, string>(Part)),
            ]
        ),
        new(
            "indexof",
            "string, string -> long",
            Of((string text, string part) => (long)text.IndexOf(part, StringComparison.Ordinal))
        ),
        new(
            "replace_string",
            "string, string, string -> string",
            With(context =>
                Of((string text, string old, string replacement) => Replace(text, old, replacement, context))
            )
        ),
        new(
            "extract",
            "string, long, string -> string",
            With(context =>
                Of(
                    (string pattern, long group, string text) =>
                        context.Expression(pattern).Match(text).Groups[(int)Math.Clamp(group, 0, 1_000)].Value
                )
            )
        )
        {
            BindOwn = BindTypedExtract,
        },
        OfAny("isempty", "string -> bool", Of((string text) => text.Length == 0)),
        OfAny("isnotempty", "string -> bool", Of((string text) => text.Length > 0)),
    ];

    private static Function OfAny(string name, string signature, KernelOf kernel, bool folds = false) =>
        new(name, signature, kernel) { TakesAnyAsText = true, Folds = folds };

    private static string Part(string text, long from, long length)
    {
        if (from < 0)
            from = Math.Max(0, text.Length + from);
        from = Math.Min(from, text.Length);
        return text.Substring((int)from, (int)Math.Clamp(length, 0, text.Length - from));
    }

    private static string Replace(string text, string old, string replacement, QueryContext context)
    {
        if (old.Length == 0)
            return text;
        // Charged before the string is created, because a short query can request a string of any length.
        if (replacement.Length > old.Length)
            context.CountCharacters((int)Math.Min(int.MaxValue, (long)text.Length / old.Length * replacement.Length));
        return text.Replace(old, replacement, StringComparison.Ordinal);
    }

    private static Scalar? BindTypedExtract(Call call, ExpressionBinder binder)
    {
        if (call.Arguments.Count != 4)
            return null;
        if (
            call.Arguments[3] is not Call { Function: "typeof", Arguments: [Name type] }
            || ColumnTypes.Find(type.Text) is not { } target
        )
        {
            throw binder.Error(
                call.Arguments[3].At,
                "the fourth argument of extract must be typeof(…) of a scalar type.",
                "For example: typeof(long)."
            );
        }
        return Conversions.Convert(
            binder.BindCall("extract", call.At, [.. call.Arguments.Take(3).Select(binder.Bind)]),
            target
        );
    }
}
