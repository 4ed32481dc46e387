# formula.rb FORMULA VERSION SHA256: runs a formula with a stand-in for Homebrew, in the folder of the unpacked sources.
# Nothing is built: what is called is looked at, and each file that is installed must be there.
class Formula
  FIELDS = %i[desc homepage url sha256 license depends_on].freeze
  class << self
    attr_reader :fields, :tests

    FIELDS.each do |field|
      define_method(field) { |value| (@fields ||= {})[field] = value }
    end

    def test(&block)
      @tests = block
    end
  end

  Place = Struct.new(:name, :installed) do
    def install(what)
      names = what.is_a?(Hash) ? what.keys : Array(what)
      abort "#{name}: nothing is installed" if names.empty?
      names.each { |file| abort "#{name}: #{file} is not in the sources" unless File.file?(file) }
      installed.concat(names)
    end
  end

  attr_reader :commands

  def initialize
    @commands = []
    @places = Hash.new { |places, name| places[name] = Place.new(name, []) }
  end

  %i[man1 bash_completion zsh_completion fish_completion].each do |name|
    define_method(name) { @places[name] }
  end

  def std_cargo_args(path:)
    abort "#{path} is not in the sources" unless File.file?("#{path}/Cargo.toml")
    ["--locked", "--path=#{path}"]
  end

  def system(*command)
    @commands << command
  end

  def installed
    @places.transform_values { |place| place.installed.length }
  end
end

path, version, sha256 = ARGV
load path
fields = Polyseal.fields
abort "fields: #{fields.keys}" unless (Formula::FIELDS - fields.keys).empty?
abort "not these sources: #{fields}" unless fields[:sha256] == sha256 && fields[:url].end_with?("/polyseal-#{version}-source.tar.gz")
abort "no test" unless Polyseal.tests
formula = Polyseal.new
formula.install
abort "commands: #{formula.commands}" unless formula.commands.map { |command| command.take(2) } == [%w[cargo install]]
abort "installed: #{formula.installed}" unless formula.installed.length == 4 && formula.installed[:man1] > 5
