using System.Globalization;

namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>What an expression means for one row, written down as plainly as possible: a second opinion on the engine's.</summary>
internal static class NaiveEvaluator
{
    public static object? Evaluate(Expression expression, IReadOnlyDictionary<string, object?> row) => expression switch
    {
        Literal literal => literal.Value,
        Name name => row[name.Text],
        Negate negate => Evaluate(negate.Operand, row) switch { long value => -value, double value => -value, _ => null },
        Binary binary => Binary(binary, row),
        Compare compare => Compare(compare.Comparison, Evaluate(compare.Left, row), Evaluate(compare.Right, row)),
        InRange range => InRange(range, row),
        InList list => In(list.Comparison, Evaluate(list.Left, row), [.. list.Items.Select(item => Evaluate(item, row))]),
        Call call => Call(call, row),
        _ => throw new InvalidOperationException(),
    };

    private static object? Binary(Binary binary, IReadOnlyDictionary<string, object?> row)
    {
        var (left, right) = (Evaluate(binary.Left, row), Evaluate(binary.Right, row));
        return binary.Operator switch
        {
            "and" => And((bool?)left, (bool?)right),
            "or" => Not(And(Not((bool?)left), Not((bool?)right))),
            _ => left is null || right is null ? null : Arithmetic(binary, left, right),
        };
    }

    private static bool? Compare(Comparison comparison, object? left, object? right) => comparison switch
    {
        Comparison.Equal => Equal(left, right),
        Comparison.NotEqual => Not(Equal(left, right)),
        Comparison.Less or Comparison.LessOrEqual or Comparison.Greater or Comparison.GreaterOrEqual =>
            left is null || right is null ? null : Order(comparison, left, right),
        _ => Text(comparison, (string)left!, (string)right!),
    };

    private static bool? And(bool? left, bool? right) =>
        left == false || right == false ? false : left is null || right is null ? null : true;

    private static bool? Not(bool? value) => !value;

    private static bool? Equal(object? left, object? right) =>
        left is null && right is null ? null : left is null || right is null ? false : left is double or long && right is double or long
            ? Real(left) == Real(right) : left.Equals(right);

    private static bool Order(Comparison comparison, object left, object right)
    {
        var (less, equal) = (left, right) switch
        {
            (string a, string b) => (string.CompareOrdinal(a, b) < 0, a == b),
            (long a, long b) => (a < b, a == b),
            _ => (Real(left) < Real(right), Real(left) == Real(right)),
        };
        var greater = left is string or long ? !less && !equal : Real(left) > Real(right); // of a number that is none neither holds
        return comparison switch
        {
            Comparison.Less => less,
            Comparison.LessOrEqual => less || equal,
            Comparison.Greater => greater,
            _ => greater || equal,
        };
    }

    private static object? Arithmetic(Binary binary, object left, object right)
    {
        if (left is long a && right is long b)
        {
            var (spans, dates) = (IsSpan(binary.Left) && IsSpan(binary.Right), IsDate(binary.Left));
            if (spans && binary.Operator == "/")
                return (double)a / b;
            if (dates && !IsDate(binary.Right))
            {
                var ticks = binary.Operator == "+" ? (decimal)a + b : (decimal)a - b;
                return ticks >= 0 && ticks <= DateTime.MaxValue.Ticks ? (long)ticks : null;
            }
            return unchecked(binary.Operator switch
            {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => b == 0 ? null : (object)(long)((Int128)a / b),
                _ => b == 0 ? null : (object)(long)((((Int128)a % b) + Int128.Abs(b)) % Int128.Abs(b)),
            });
        }
        var (x, y) = (Real(left), Real(right));
        return binary.Operator switch { "+" => x + y, "-" => x - y, "*" => x * y, _ => x / y };
    }

    // Has, HasNot, HasCased, HasNotCased and so on.
    private static bool Text(Comparison comparison, string left, string right)
    {
        var name = $"{comparison}";
        var (a, b) = name.EndsWith("Cased", StringComparison.Ordinal) ? (left, right) : (left.ToUpperInvariant(), right.ToUpperInvariant());
        var holds = name.Replace("Not", "", StringComparison.Ordinal).Replace("Cased", "", StringComparison.Ordinal) switch
        {
            nameof(Comparison.EqualIgnoringCase) => a == b,
            nameof(Comparison.Has) => Has(a, b),
            nameof(Comparison.Contains) => a.Contains(b, StringComparison.Ordinal),
            nameof(Comparison.StartsWith) => a.StartsWith(b, StringComparison.Ordinal),
            nameof(Comparison.EndsWith) => a.EndsWith(b, StringComparison.Ordinal),
            _ => throw new InvalidOperationException(name),
        };
        return holds != name.Contains("Not", StringComparison.Ordinal);
    }

    // Every place where the term could stand, one after the other.
    private static bool Has(string text, string term) => term.Length == 0 || Enumerable.Range(0, text.Length + 1).Any(at =>
        string.CompareOrdinal(text, at, term, 0, term.Length) == 0 && at + term.Length <= text.Length
        && !(at > 0 && char.IsLetterOrDigit(text[at - 1]) && char.IsLetterOrDigit(term[0]))
        && !(at + term.Length < text.Length && char.IsLetterOrDigit(text[at + term.Length]) && char.IsLetterOrDigit(term[^1])));

    private static bool? InRange(InRange range, IReadOnlyDictionary<string, object?> row)
    {
        var (value, low, high) = (Evaluate(range.Value, row), Evaluate(range.Low, row), Evaluate(range.High, row));
        var inside = And(
            value is null || low is null ? null : Order(Comparison.GreaterOrEqual, value, low),
            value is null || high is null ? null : Order(Comparison.LessOrEqual, value, high));
        return range.Comparison == Comparison.NotBetween ? Not(inside) : inside;
    }

    private static bool? In(Comparison comparison, object? left, IReadOnlyList<object?> items)
    {
        var allConstantOrText = left is string;
        bool? found = false;
        foreach (var item in items)
        {
            var equal = comparison is Comparison.InIgnoringCase or Comparison.NotInIgnoringCase
                ? ((string)left!).Equals((string)item!, StringComparison.OrdinalIgnoreCase)
                : Equal(left, item);
            found = allConstantOrText ? found | equal : Not(And(Not(found), Not(equal)));
        }
        return comparison is Comparison.NotIn or Comparison.NotInIgnoringCase ? Not(found) : found;
    }

    private static object? Call(Call call, IReadOnlyDictionary<string, object?> row)
    {
        var arguments = call.Arguments.Select(argument => Evaluate(argument, row)).ToList();
        switch (call.Function)
        {
            case "iff": return arguments[0] is true ? arguments[1] : arguments[2];
            case "case": return arguments[0] is true ? arguments[1] : arguments[2] is true ? arguments[3] : arguments[4];
            case "isnull": return arguments[0] is null;
            case "coalesce": return arguments[0] is null or "" ? arguments[1] : arguments[0];
            case "strcat": return string.Concat(arguments.Select(AsText));
            case "min_of" or "max_of" when arguments.Contains(null): return arguments[0] ?? arguments[1];
            case "isempty": return arguments[0] is "";
            case "isnotempty": return arguments[0] is not "";
        }
        if (arguments.Contains(null))
            return call.Function == "tostring" ? "" : null;
        return (call.Function, arguments[0]) switch
        {
            ("not", bool value) => !value,
            ("strlen", string text) => (long)text.Length,
            ("tolong", double real) => real >= long.MinValue && real < long.MaxValue ? (long)real : null,
            ("tolong", bool truth) => truth ? 1L : 0L,
            ("todouble", long whole) => (double)whole,
            ("abs", long whole) => whole < 0 ? unchecked(-whole) : whole,
            ("bin", long value) => (long)arguments[1]! <= 0
                ? null
                : (long)(value - ((((Int128)value % (long)arguments[1]!) + (long)arguments[1]!) % (long)arguments[1]!)),
            ("min_of", long value) => Math.Min(value, (long)arguments[1]!),
            ("max_of", long value) => Math.Max(value, (long)arguments[1]!),
            ("tolower", string text) => text.ToLowerInvariant(),
            ("toupper", string text) => text.ToUpperInvariant(),
            ("tostring", var value) => AsText(value),
            ("substring", string text) => string.Concat(text.Skip((int)(long)arguments[1]!).Take((int)(long)arguments[2]!)),
            ("replace_string", string text) => text.Replace((string)arguments[1]!, (string)arguments[2]!, StringComparison.Ordinal),
            _ => throw new InvalidOperationException(call.Function),
        };
    }

    private static string AsText(object? value) => value switch
    {
        null => "",
        bool truth => truth ? "True" : "False",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => (string)value,
    };

    private static double Real(object value) => value is long whole ? whole : (double)value;

    // Dates and spans are both ticks here: the names of the columns tell them apart.
    private static bool IsDate(Expression expression) => expression switch
    {
        Literal literal => literal.Type == Tables.ColumnType.DateTime,
        Name name => name.Text == "d",
        Binary { Operator: "-" } both when IsDate(both.Right) => false,
        Binary both => IsDate(both.Left),
        Call { Function: "bin" } call => IsDate(call.Arguments[0]),
        Call { Function: "iff" or "case" } call => IsDate(call.Arguments[1]),
        _ => false,
    };

    private static bool IsSpan(Expression expression) => expression switch
    {
        Literal literal => literal.Type == Tables.ColumnType.TimeSpan,
        Name name => name.Text == "e",
        Negate negate => IsSpan(negate.Operand),
        Binary { Operator: "-" } both when IsDate(both.Left) => IsDate(both.Right),
        Binary { Operator: "+" or "-" } both => IsSpan(both.Left),
        Call { Function: "iff" or "case" } call => IsSpan(call.Arguments[1]),
        _ => false,
    };
}
