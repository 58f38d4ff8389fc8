using System.Text;

namespace DroneDelivery.Lab.Measure;

/// <summary>Records of a CSV file as RFC 4180 has them: quotes, commas and line ends inside quotes.</summary>
internal sealed class CsvRecords
{
    /// <summary>A field that is longer than this is no field of telemetry: a quote is missing.</summary>
    private const int LongestField = 1 << 20;

    private readonly TextReader _text;
    private readonly StringBuilder _field = new();
    private List<string> _fields = [];
    private int _line = 1, _next = 1;
    private bool _inQuotes;

    private CsvRecords(TextReader text) => _text = text;

    /// <exception cref="BadInputException">A quote is not closed.</exception>
    public static IEnumerable<(int Line, List<string> Fields)> Read(TextReader text) => new CsvRecords(text).Read();

    private IEnumerable<(int Line, List<string> Fields)> Read()
    {
        for (var read = _text.Read(); read >= 0; read = _text.Read())
        {
            if (IsEndOfRecord((char)read))
                yield return EndRecord();
        }

        if (_inQuotes)
            throw new BadInputException($"line {_line}: a quote is not closed.");
        if (_fields.Count > 0 || _field.Length > 0)
            yield return EndRecord();
    }

    private bool IsEndOfRecord(char character)
    {
        _next += character == '\n' ? 1 : 0;
        if (_inQuotes || character is not (',' or '\n' or '\r'))
            Append(character);
        else if (character == ',')
            EndField();
        return !_inQuotes && character == '\n';
    }

    private void Append(char character)
    {
        if (character != '"')
            _field.Append(character);
        else if (_inQuotes && _text.Peek() == '"')
            _field.Append((char)_text.Read());
        else
            _inQuotes = !_inQuotes;
        if (_field.Length > LongestField)
            throw new BadInputException($"line {_line}: a field has more than {LongestField} characters. Is a quote missing?");
    }

    private void EndField()
    {
        _fields.Add(_field.ToString());
        _field.Clear();
    }

    private (int Line, List<string> Fields) EndRecord()
    {
        EndField();
        var record = (_line, _fields);
        (_line, _fields) = (_next, []);
        return record;
    }
}
