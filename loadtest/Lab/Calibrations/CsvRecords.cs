using System.Text;

namespace DroneDelivery.Lab.Calibrations;

/// <summary>Records of a CSV file as RFC 4180 has them: quotes, commas and line ends inside quotes.</summary>
internal static class CsvRecords
{
    /// <summary>A field that is longer than this is no field of telemetry: a quote is missing.</summary>
    private const int LongestField = 1 << 20;

    /// <exception cref="BadInputException">A quote is not closed.</exception>
    public static IEnumerable<(int Line, List<string> Fields)> Read(TextReader text)
    {
        var (line, next) = (1, 1);
        var (fields, field, inQuotes) = (new List<string>(), new StringBuilder(), false);
        for (var read = text.Read(); read >= 0; read = text.Read())
        {
            var character = (char)read;
            next += character == '\n' ? 1 : 0;
            if (character == '"' && inQuotes && text.Peek() == '"')
            {
                field.Append((char)text.Read());
            }
            else if (character == '"')
            {
                inQuotes = !inQuotes;
            }
            else if (inQuotes || character is not (',' or '\n' or '\r'))
            {
                field.Append(character);
            }
            else if (character == ',')
            {
                Take();
            }
            else if (character == '\n')
            {
                Take();
                yield return (line, fields);
                (line, fields) = (next, []);
            }

            if (field.Length > LongestField)
                throw new BadInputException($"line {line}: a field has more than {LongestField} characters. Is a quote missing?");
        }

        if (inQuotes)
            throw new BadInputException($"line {line}: a quote is not closed.");
        if (fields.Count == 0 && field.Length == 0)
            yield break;
        Take();
        yield return (line, fields);

        void Take()
        {
            fields.Add(field.ToString());
            field.Clear();
        }
    }
}
